-- Vouches for an authorization answer and counts requests, in one step.
-- KEYS: generation hash of the business, ring of the caller (same hash slot).
-- ARGV: generation of the answer; incarnation that the answer was asked under ('' when it was asked for these requests
--       alone); end of the answer (ms); limit; how many requests; name for a new incarnation.
-- Returns verdict (0 stale, 1 counted), incarnation, admitted, used, resetMs, retryMs.
-- The ring is the rule of rate-limit/rolling-hour.ts: fields m (newest minute), t (total), o (oldest counted minute), 0..60.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local generation = tonumber(ARGV[1])
local known = ARGV[2]
local state = redis.call('HMGET', KEYS[1], 'g', 'i')
local stored = tonumber(state[1] or 0)
local incarnation = state[2]

if known ~= '' then
  if incarnation ~= known or stored ~= generation or now >= tonumber(ARGV[3]) then
    return { 0, incarnation or '', 0, 0, 0, 0 }
  end
elseif not incarnation then
  incarnation = ARGV[6]
  redis.call('HSET', KEYS[1], 'g', generation, 'i', incarnation)
  redis.call('PEXPIRE', KEYS[1], 86400000)
elseif stored > generation then
  return { 0, incarnation, 0, 0, 0, 0 }
elseif stored < generation then
  redis.call('HSET', KEYS[1], 'g', generation)
end

local ring = KEYS[2]
local head = redis.call('HMGET', ring, 'm', 't', 'o')
local minute = math.floor(now / 60000)
local newest = tonumber(head[1] or minute)
local total = tonumber(head[2] or 0)
local oldest = tonumber(head[3] or minute)

local function slot(m)
  return tostring(m % 61)
end

local moved = not head[1]
if minute > newest then
  moved = true
  for m = math.max(newest + 1, minute - 60), minute do
    total = total - tonumber(redis.call('HGET', ring, slot(m)) or 0)
    redis.call('HDEL', ring, slot(m))
  end
  newest = minute
  oldest = math.max(oldest, newest - 60)
  while oldest < newest and redis.call('HEXISTS', ring, slot(oldest)) == 0 do
    oldest = oldest + 1
  end
end

local limit = tonumber(ARGV[4])
local admitted = math.max(0, math.min(tonumber(ARGV[5]), limit - total))
if admitted > 0 then
  if total == 0 then
    oldest = newest
  end
  total = total + admitted
  redis.call('HINCRBY', ring, slot(newest), admitted)
end
if moved then
  redis.call('HSET', ring, 'm', newest, 't', total, 'o', oldest)
  redis.call('PEXPIRE', ring, 3720000)
elseif admitted > 0 then
  redis.call('HSET', ring, 't', total, 'o', oldest)
end

local reset = 60000
if total > 0 then
  reset = (oldest + 61) * 60000 - now
end
local retry = 0
local left = total
local m = oldest
while left >= limit and left > 0 and m <= newest do
  local count = tonumber(redis.call('HGET', ring, slot(m)) or 0)
  if count > 0 then
    left = left - count
    retry = (m + 61) * 60000 - now
  end
  m = m + 1
end
return { 1, incarnation, admitted, total, reset, retry }
