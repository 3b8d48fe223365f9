/** Acts on an API key that is reported as leaked, besides the notice to the owners. The first is the default. */
export const leakPolicies = ['notify', 'freeze', 'delete'] as const;

export type LeakPolicy = (typeof leakPolicies)[number];
