import { createBareApp } from '@platform/service-kit/http/app.ts';
import { observeRequests } from '@platform/service-kit/http/observe.ts';
import type { Logger } from '@platform/service-kit/telemetry/logger.ts';
import type { Registry } from '@platform/service-kit/telemetry/metrics.ts';
import type { Express, Response } from 'express';
import { getCurrentBusiness } from './businesses/http.ts';
import type { BusinessStore } from './businesses/store.ts';
import { deleteCustomer } from './customers/http.ts';
import type { CustomerStore } from './customers/store.ts';
import { type ListEventsDeps, listEvents } from './events/http.ts';
import { getOrder, listOrders, patchOrder, postOrder } from './orders/http.ts';
import type { OrderStore } from './orders/store.ts';
import {
  type AdmitDeps,
  acceptPatch,
  allowOnly,
  endpoint,
  type IdentifyDeps,
  identifyRequests,
} from './web/endpoint.ts';
import { patchTypes } from './web/input.ts';
import { errorResponse, handleErrors, sendResponse } from './web/response.ts';

export interface AppDeps extends AdmitDeps, IdentifyDeps, ListEventsDeps {
  readonly businesses: BusinessStore;
  readonly orders: OrderStore;
  readonly customers: CustomerStore;
  readonly logger: Logger;
  readonly registry: Registry;
}

/** The HTTP surface behind the gateway. */
export function createApp(deps: AppDeps): Express {
  const { businesses, orders, logger, registry } = deps;
  const app = createBareApp();
  const fieldsOf = ({ locals: { passport } }: Response) => ({
    businessId: passport?.businessId,
    credentialId: passport?.credentialId,
  });
  app.use(observeRequests({ logger, registry, fieldsOf }));
  app.use(identifyRequests(deps));

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
    .all(acceptPatch(patchTypes))
    .get(endpoint(deps, { scope: 'orders:read' }, getOrder(orders)))
    .patch(endpoint(deps, { scope: 'orders:write' }, patchOrder(orders)))
    .all(allowOnly('GET, HEAD, PATCH'));
  app
    .route('/customers')
    .delete(endpoint(deps, { scope: 'orders:write' }, deleteCustomer(deps)))
    .all(allowOnly('DELETE'));
  app
    .route('/events')
    .get(endpoint(deps, { scope: 'events:read' }, listEvents(deps)))
    .all(allowOnly('GET, HEAD'));

  app.use((_req, res) => sendResponse(res, errorResponse(404, 'Not found')));
  app.use(handleErrors(logger));
  return app;
}
