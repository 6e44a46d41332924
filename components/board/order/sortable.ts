/** What is used of SortableJS alone: imported by itself, it brings its plugins along, which are a quarter of it. */
export { default } from "sortablejs";
