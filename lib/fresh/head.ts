import { type ComponentChildren, toChildArray, type VNode } from "preact";

/**
 * The elements for `<head>`.
 *
 * @param own the children of the app wrapper's `<head>`
 * @param added the elements of every `Head`: each replaces an earlier element with the same title, key, id or, for a
 * meta element, name
 */
export function headElements(own: ComponentChildren, added: ComponentChildren[]): ComponentChildren[] {
  const elements = toChildArray(own);
  for (const child of added.flatMap((children) => toChildArray(children))) {
    const identities = identitiesOf(child);
    const earlier = elements.findIndex((one) => identitiesOf(one).some((each) => identities.includes(each)));
    if (earlier === -1) elements.push(child);
    else elements[earlier] = child;
    if (isElement(child) && child.type === "link" && child.key == null) {
      throw new TypeError(
        "A <link> in <Head> needs a key, or upstream lets it replace another of the same rel",
      );
    }
  }
  return elements;
}

type Child = ReturnType<typeof toChildArray>[number];

function isElement(child: Child): child is VNode<{ id?: unknown; name?: unknown }> {
  return typeof child === "object";
}

function identitiesOf(child: Child): string[] {
  if (!isElement(child)) return [];
  const { type, key, props } = child;
  const identities: string[] = [];
  if (type === "title") identities.push("title");
  if (key != null) identities.push(`key ${type} ${key}`);
  if (props.id) identities.push(`id ${props.id}`);
  if (type === "meta" && props.name) identities.push(`name ${props.name}`);
  return identities;
}
