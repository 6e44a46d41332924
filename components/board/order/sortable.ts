/** SortableJS without its plugins: a direct import brings them along, and they are a quarter of its size. */
export { default } from "sortablejs";
