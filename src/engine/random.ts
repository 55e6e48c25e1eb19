/**
 * The source of randomness, which the engine takes as an argument. Each call returns one of 2^53 equally likely values
 * in [0, 1): 53 random bits divided by 2^53. The engine has no randomness of its own, so the same draws give the same
 * rolls.
 */
export type Draws = () => number;
