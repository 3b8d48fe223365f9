import { expect, test } from '@jest/globals';
import { isSilent, newPeer, noteCallEnded, noteCallStarted } from './balancer.ts';

test('a peer without calls is not silent', () => {
  expect(isSilent(newPeer(), 1_000)).toBe(false);
});

test('a peer is silent after 50 ms of a call without any response', () => {
  const peer = newPeer();
  noteCallStarted(peer, 1_000);
  noteCallStarted(peer, 1_040);
  expect(isSilent(peer, 1_050)).toBe(false);
  expect(isSilent(peer, 1_051)).toBe(true);
});

test('one response shows that the other calls are only slow', () => {
  const peer = newPeer();
  noteCallStarted(peer, 1_000);
  noteCallStarted(peer, 1_000);
  noteCallEnded(peer, true, 1_060);
  expect(isSilent(peer, 1_110)).toBe(false);
  expect(isSilent(peer, 1_111)).toBe(true);
});

test('a silent peer with a cancelled call is avoided for a second and then retried', () => {
  const peer = newPeer();
  noteCallStarted(peer, 1_000);
  noteCallEnded(peer, false, 1_100);
  expect(isSilent(peer, 2_099)).toBe(true);
  expect(isSilent(peer, 2_100)).toBe(false);
});

test('a late response ends the avoidance', () => {
  const peer = newPeer();
  noteCallStarted(peer, 1_000);
  noteCallStarted(peer, 1_000);
  noteCallEnded(peer, false, 1_100);
  noteCallEnded(peer, true, 1_200);
  expect(isSilent(peer, 1_201)).toBe(false);
});

test('a cancelled call to a peer that responds to others has no effect', () => {
  const peer = newPeer();
  noteCallStarted(peer, 1_000);
  noteCallStarted(peer, 1_090);
  noteCallEnded(peer, true, 1_095);
  noteCallEnded(peer, false, 1_100);
  expect(isSilent(peer, 1_101)).toBe(false);
});
