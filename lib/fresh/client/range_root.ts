/**
 * A stand-in for a parent element whose children are the nodes between two markers, so that Preact can own a part of
 * an element's children without a wrapper element.
 */
export function rangeRoot(start: Comment, end: Comment): Element {
  const parent = start.parentNode as Element;

  // Preact looks for insertion points among siblings and may step over our end marker.
  const isBeyond = (node: Node) =>
    Boolean(end.compareDocumentPosition(node) & Node.DOCUMENT_POSITION_FOLLOWING);
  const childNodes = () => {
    const nodes: ChildNode[] = [];
    for (let node = start.nextSibling; node && node !== end; node = node.nextSibling) nodes.push(node);
    return nodes;
  };

  const root = {
    nodeType: Node.ELEMENT_NODE,
    namespaceURI: parent.namespaceURI,
    ownerDocument: parent.ownerDocument,
    get firstChild() {
      return childNodes()[0] ?? null;
    },
    get childNodes() {
      return childNodes();
    },
    insertBefore: (node: Node, before: Node | null) =>
      parent.insertBefore(node, before === null || isBeyond(before) ? end : before),
    appendChild: (node: Node) => parent.insertBefore(node, end),
    removeChild: (node: Node) => parent.removeChild(node),
    contains: (node: Node) => parent.contains(node),
  };
  return root as unknown as Element;
}
