import { lineFault } from '../line-fault.ts';
import { type Faults, faultsOf } from './faults.ts';

/** The legal entity behind a business, as its owner hands it in. */
export interface LegalFacts {
  readonly legalName: string;
  readonly registrationNumber: string;
  /** ISO 3166-1 alpha-2. */
  readonly country: string;
}

/** The facts as they are handed in, and what is wrong with them. */
export function checkLegalFacts(typed: LegalFacts): { facts: LegalFacts; faults: Faults } {
  const facts = {
    legalName: typed.legalName.trim(),
    registrationNumber: typed.registrationNumber.trim(),
    country: typed.country.trim().toUpperCase(),
  };
  const faults = faultsOf({
    legal_name: lineFault(facts.legalName, 'the registered name', 200),
    registration_number: lineFault(facts.registrationNumber, 'the number in the register', 100),
    country: /^[A-Z]{2}$/.test(facts.country)
      ? undefined
      : 'Enter the two-letter code of the country, as DE or US.',
  });
  return { facts, faults };
}
