export const businessSchemas = {
  Business: {
    type: 'object',
    required: ['id', 'is_banned', 'unique_id', 'account_holder', 'logo', 'username'],
    properties: {
      id: { type: 'integer', minimum: 1, description: 'Numeric identifier. It never changes.' },
      is_banned: {
        type: 'boolean',
        description: 'A banned business can read this record, and nothing else.',
      },
      unique_id: { type: 'string', description: 'Public identifier: `biz_…`.' },
      account_holder: { type: 'string', description: 'Display name.' },
      logo: { type: 'string', description: 'URL of the logo; empty when there is none.' },
      username: { type: 'string' },
    },
  },
};

export const businessExample = {
  id: 1042,
  is_banned: false,
  unique_id: 'biz_3mT9cKq0ZxV4hR7aLw2P',
  account_holder: 'Analytical Engines',
  logo: '',
  username: 'engines',
};
