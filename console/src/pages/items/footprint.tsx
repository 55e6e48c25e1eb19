import classes from './footprint.module.css';

const CELLS = 6;

/** Draws the number of cells an item occupies in a bag. */
export const Footprint = ({ width, height }: { width: number; height: number }) => {
  const columns = Math.max(CELLS, width);
  const rows = Math.max(3, height);
  const cells = Array.from({ length: columns * rows }, (_, place) => ({
    id: place,
    isTaken: place % columns < width && Math.floor(place / columns) < height,
  }));
  return (
    <div
      className={classes.grid}
      role="img"
      aria-label={`Occupies ${width} by ${height} cells`}
      style={{ gridTemplateColumns: `repeat(${columns}, 1fr)`, maxWidth: columns * 22 }}
    >
      {cells.map(({ id, isTaken }) => (
        <span key={id} className={classes.cell} data-taken={isTaken || undefined} />
      ))}
    </div>
  );
};
