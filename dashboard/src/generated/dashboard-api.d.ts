/** Stands in until the OpenAPI document is generated. */
export interface paths {
  '/session': {
    get: {
      responses: { 200: { content: { 'application/json': components['schemas']['Session'] } } };
    };
  };
}

export interface components {
  schemas: {
    Session: {
      person: { id: string; name: string; email: string; secondFactor: boolean };
      csrfToken: string;
      businesses: {
        id: number;
        name: string;
        username: string;
        role: 'owner' | 'member';
        verification: 'unverified' | 'pending' | 'verified' | 'rejected';
        frozen: boolean;
      }[];
    };
  };
}
