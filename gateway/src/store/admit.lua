-- Vouches for an authorization answer and counts requests, in one step.
-- KEYS: generation hash of the business, ring of the caller (same hash slot).
-- ARGV: generation of the answer; incarnation that the answer was asked under ('' when it was asked for these requests
--       alone); end of the answer (ms); limit; how many requests; name for a new incarnation.
-- Returns verdict (0 stale, 1 counted), incarnation, admitted, used, resetMs, retryMs.
-- The ring is the rule of rate-limit/rolling-hour.ts: fields m (newest minute), t (total), o (oldest counted minute), and
-- for each bucket of 0..60 its count and the time of its last request: count * 65536 + milliseconds into its minute.

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

local function bucket(m)
  local packed = tonumber(redis.call('HGET', ring, tostring(m % 61)) or 0)
  return math.floor(packed / 65536), m * 60000 + packed % 65536
end

local function forget(m)
  total = total - bucket(m)
  redis.call('HDEL', ring, tostring(m % 61))
end

local changed = not head[1]
if minute > newest then
  changed = true
  for m = math.max(newest + 1, minute - 60), minute do
    forget(m - 61)
  end
  newest = minute
end
local leaving, last = bucket(newest - 60)
if leaving > 0 and last <= now - 3600000 then
  changed = true
  forget(newest - 60)
end
if changed then
  oldest = math.max(oldest, newest - 60)
  while oldest < newest and bucket(oldest) == 0 do
    oldest = oldest + 1
  end
  redis.call('HSET', ring, 'm', newest, 't', total, 'o', oldest)
  redis.call('PEXPIRE', ring, 3720000)
end

local limit = tonumber(ARGV[4])
local admitted = math.max(0, math.min(tonumber(ARGV[5]), limit - total))
if admitted > 0 then
  if total == 0 then
    oldest = newest
  end
  total = total + admitted
  local count, at = bucket(newest)
  local packed = (count + admitted) * 65536 + math.max(at, now) - newest * 60000
  redis.call('HSET', ring, 't', total, 'o', oldest, tostring(newest % 61), packed)
end

local reset = 3600000
local retry = 0
if total > 0 then
  local _, first = bucket(oldest)
  reset = first + 3600000 - now
end
local left = total
local m = oldest
while left >= limit and left > 0 and m <= newest do
  local count, at = bucket(m)
  if count > 0 then
    left = left - count
    retry = at + 3600000 - now
  end
  m = m + 1
end
return { 1, incarnation, admitted, total, reset, retry }
