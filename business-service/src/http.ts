import type { Logger } from '@platform/service-kit/logger.ts';
import type { Registry } from '@platform/service-kit/metrics.ts';
import express, { type Express } from 'express';
import { getCurrentBusiness } from './businesses/http.ts';
import { getOrder, listOrders, patchOrder, postOrder } from './orders/http.ts';
import type { OrderStore } from './orders/store.ts';
import { type IdentifyDeps, identify, observe } from './web/context.ts';
import { type AdmitDeps, allowOnly, endpoint } from './web/endpoint.ts';
import { errorAnswer, renderError, sendAnswer } from './web/response.ts';

export interface AppDeps extends AdmitDeps, IdentifyDeps {
  readonly orders: OrderStore;
  readonly logger: Logger;
  readonly registry: Registry;
}

/** The HTTP surface behind the gateway. */
export function createApp(deps: AppDeps): Express {
  const { businesses, orders, logger, registry } = deps;
  const app = express();
  app.disable('x-powered-by').disable('etag').disable('query parser');
  app.enable('strict routing').enable('case sensitive routing');
  app.use(observe(logger, registry));
  app.use(identify(deps));

  app
    .route('/businesses/me')
    .get(endpoint(deps, { scope: 'business:read', evenBanned: true }, getCurrentBusiness(businesses)))
    .all(allowOnly('GET, HEAD'));
  app
    .route('/order')
    .get(endpoint(deps, { scope: 'orders:read' }, listOrders(orders)))
    .post(endpoint(deps, { scope: 'orders:write' }, postOrder(orders)))
    .all(allowOnly('GET, HEAD, POST'));
  app
    .route('/order/:id')
    .get(endpoint(deps, { scope: 'orders:read' }, getOrder(orders)))
    .patch(endpoint(deps, { scope: 'orders:write' }, patchOrder(orders)))
    .all(allowOnly('GET, HEAD, PATCH'));

  app.use((_req, res) => sendAnswer(res, errorAnswer(404, 'Not found')));
  app.use(renderError(logger));
  return app;
}
