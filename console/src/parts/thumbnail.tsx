import { useState } from 'react';
import classes from './thumbnail.module.css';

/** Images that a browser can load; games may store anything else here. */
const isPicture = (text: string): boolean => /^(?:https?:\/\/|data:image\/)/i.test(text);

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word[0] ?? '')
    .join('')
    .toUpperCase();

interface ThumbnailProps {
  readonly name: string;
  readonly thumbnail: string | null;
  readonly size?: number | string;
}

/** The image of an item, or its initials. Decorative: the name is always next to it. */
export const Thumbnail = ({ name, thumbnail, size = 36 }: ThumbnailProps) => {
  const [broken, setBroken] = useState<string>();
  if (thumbnail !== null && isPicture(thumbnail) && broken !== thumbnail)
    return (
      <img
        className={classes.picture}
        src={thumbnail}
        alt=""
        loading="lazy"
        referrerPolicy="no-referrer"
        draggable={false}
        style={{ width: size, height: size }}
        onError={() => setBroken(thumbnail)}
      />
    );
  return (
    <span className={classes.initials} aria-hidden="true" style={{ width: size, height: size }}>
      {initialsOf(name)}
    </span>
  );
};
