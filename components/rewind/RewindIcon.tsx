/** Two triangles that point back. */
export function RewindIcon() {
  return (
    <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">
      <path d="M11.5 6.5 4 12l7.5 5.5zM20 6.5 12.5 12l7.5 5.5z" />
    </svg>
  );
}
