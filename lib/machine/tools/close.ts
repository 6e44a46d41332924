/** Closes a resource that may be closed already: Deno throws then. */
export function closeAnyway(resource: { close(): void }): void {
  try {
    resource.close();
  } catch {
    // it is closed already
  }
}
