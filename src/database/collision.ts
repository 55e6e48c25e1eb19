/** A command found that another transaction had overtaken it, and asks to be run again from the start. */
export class Collision extends Error {}
