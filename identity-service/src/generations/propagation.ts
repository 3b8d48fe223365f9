/** Whether every gateway knows of a change: `pending` means that they confirm within 30 seconds. */
export type Propagation = 'confirmed' | 'pending';

/** Tells gateways that what they cached about a business is out of date. Never fails: it answers `pending`. */
export type Propagate = (businessId: number, generation: number) => Promise<Propagation>;
