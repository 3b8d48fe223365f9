/** Response that the dashboard gets while a part of the platform is lost, for `route.fulfill`. */
export const failure = {
  status: 503,
  headers: { 'X-Request-Id': 'req-of-this-failure' },
  json: { error: 'A part of the service is not available.', status: 'Service Unavailable', code: 503 },
};
