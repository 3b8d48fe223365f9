import { addressBlock } from '@platform/service-kit/address-block.ts';
import type { RequestHandler } from 'express';
import { Shares } from '../upstream/shares.ts';
import { bodyTooLarge, type GatewayError, requestTimeout, tooManyBodies } from './gateway-error.ts';
import type { BodyFault } from './request-body.ts';

/** Bytes of bodies in the memory of this process at a time, and those of one address among them. */
const maxMemory = 128 * 1024 * 1024;
const maxMemoryOfOne = 16 * 1024 * 1024;

/**
 * Reads small bodies whole and the beginning of large ones before the upstream is asked for a connection. The client is
 * told to go on only here, where everything else about its request has been checked.
 */
export function receiveBody(maxBodyBytes: number): RequestHandler {
  const memory = new Shares({ total: maxMemory, boundOf: () => maxMemoryOfOne });
  const errors: Readonly<Record<BodyFault, GatewayError | undefined>> = {
    too_large: bodyTooLarge(maxBodyBytes),
    too_slow: requestTimeout,
    gone: undefined,
  };
  return (req, res, next) => {
    const { exchange } = req;
    const { body } = exchange;
    if (!body.isExpected) return next();
    const keys = [addressBlock(exchange.clientIp)];
    const needed = body.memoryNeeded;
    if (!memory.tryTake(keys, needed)) return exchange.refuse(tooManyBodies);
    res.once('close', () => memory.giveBack(keys, needed));
    if (req.headers.expect !== undefined) res.writeContinue();
    const onFault = (fault: BodyFault) => {
      const error = errors[fault];
      if (error !== undefined) exchange.refuse(error);
    };
    body.receive({ maxBytes: maxBodyBytes, onFault }, () => next());
  };
}
