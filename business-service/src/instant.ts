/** A point in time. Domain code is given one and makes none, so it knows the type and not the constructor. */
export type Instant = Date;
