/** Tells what time it is. Whatever happens at a time of day takes one, so that tests can cross months in a moment. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();
