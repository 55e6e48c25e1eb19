import { Box, Text } from '@mantine/core';
import { formatOneIn, formatShare } from './format.ts';
import classes from './share-bar.module.css';

/** A share as a number, with a bar relative to the greatest of its table. */
export const ShareBar = ({ share, greatest }: { share: number; greatest: number }) => (
  <Box className={classes.root} title={`${share * 100} %`}>
    <Text size="sm" fw={600} ta="right" component="div">
      {formatShare(share)}
    </Text>
    <Box className={classes.track} aria-hidden>
      <Box className={classes.bar} style={{ width: `${greatest > 0 ? (100 * share) / greatest : 0}%` }} />
    </Box>
    <Text size="xs" c="dimmed" ta="right" component="div">
      {formatOneIn(share)}
    </Text>
  </Box>
);
