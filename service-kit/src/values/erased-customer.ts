/** The customer of an order whose person was erased. An order has a name, so it is not empty; without an address nothing finds or mails it. */
export const erasedCustomer = { name: 'Erased customer', email: null } as const;

/** The JSON text of an order without its person: customer and metadata are replaced; all else, and the order of the fields, stays. */
export function eraseCustomer(order: string): string {
  const fields: object = JSON.parse(order);
  return JSON.stringify({ ...fields, customer: erasedCustomer, metadata: {} });
}
