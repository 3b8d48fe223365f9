/** A business as it is asked for. */
export interface BusinessFacts {
  readonly username: string;
  readonly accountHolder: string;
  readonly legal: {
    readonly legalName: string;
    readonly registrationNumber: string;
    readonly country: string;
  };
}

/** The business that owns the demo data, and approves applications. */
export const demoBusiness: BusinessFacts = {
  username: 'demo',
  accountHolder: 'Demo Trading',
  legal: { legalName: 'Demo Trading Limited', registrationNumber: 'HRB 20266', country: 'DE' },
};

/** The business that offers the demo application. */
export const applicationOwner: BusinessFacts = {
  username: 'demo-software',
  accountHolder: 'Demo Software',
  legal: { legalName: 'Demo Software Limited', registrationNumber: 'HRB 20267', country: 'DE' },
};
