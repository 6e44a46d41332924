/** Files with one list: an object whose other entries are kept. Pure. */

/**
 * The list below a key, and the other entries of the object.
 * @param fail makes the error of a problem. @throws the error of `fail`.
 */
export function listOfFile(
  text: string,
  key: string,
  fail: (problem: string) => Error,
): { list: unknown[]; wrapper: Record<string, unknown> } {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    throw fail(`it is not valid JSON: ${(error as Error).message}`);
  }
  const { [key]: list, ...wrapper } = (content ?? {}) as Record<string, unknown>;
  if (!Array.isArray(list)) throw fail(`it has no list "${key}"`);
  return { list, wrapper };
}
