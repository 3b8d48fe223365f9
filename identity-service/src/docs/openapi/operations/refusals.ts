import { response } from '../refs.ts';

/** What every operation of the API may answer instead. */
export const refusals = {
  400: response('BadRequest'),
  401: response('Unauthorized'),
  403: response('Forbidden'),
  429: response('TooManyRequests'),
  502: response('BadGateway'),
  503: response('Unavailable'),
  504: response('GatewayTimeout'),
  default: response('Other'),
};

/** And what it may say of a body. */
export const bodyRefusals = {
  413: response('PayloadTooLarge'),
  415: response('UnsupportedMediaType'),
};
