-- Confirms a cached authorization and counts requests, in one step.
-- KEYS: generation hash of the business, counter of the credential (same hash slot).
-- ARGV[3..]: generation of the authorization; epoch that it was fetched under ('' when it was fetched for these
-- requests); its expiry (ms); limit; requests; name for a new epoch; requests that the gateway knows to be counted
-- for it (-1: unknown); its cap; number of gateways; their ids, each before a comma, to drop the reserves of all others,
-- else ''; ids of the active ones: others that have not settled since the counter was created are dropped as well.
-- Returns verdict (0 stale, 1 counted, 2 the counter lacks requests of this gateway: then 1 when it exists, 3 late), now, epoch, admitted,
-- used, resetMs, retryMs, requests counted for this gateway, its cap, requests reserved for other gateways.

local generation = tonumber(ARGV[3])
local expectedEpoch = ARGV[4]
local entry = redis.call('HMGET', KEYS[1], 'g', 'i')
local current = tonumber(entry[1] or 0)
local epoch = entry[2]

if expectedEpoch ~= '' then
  if epoch ~= expectedEpoch or current ~= generation or now >= tonumber(ARGV[5]) then
    return { 0, now, epoch or '' }
  end
elseif not epoch then
  epoch = ARGV[8]
  redis.call('HSET', KEYS[1], 'g', generation, 'i', epoch)
  redis.call('PEXPIRE', KEYS[1], 86400000)
elseif current > generation then
  return { 0, now, epoch }
elseif current < generation then
  redis.call('HSET', KEYS[1], 'g', generation)
end

local known = tonumber(ARGV[9])
if not exists or counted < math.max(0, known) then
  return { 2, now, epoch, exists and 1 or 0 }
end

local changed = advance()
changed = takeBack(known) or changed
if ARGV[12] ~= '' then
  changed = true
  dropGateways(function(id)
    if not string.find(ARGV[12], id .. ',', 1, true) then
      return true
    end
    return not string.find(ARGV[13], id .. ',', 1, true) and unpackGateway(redis.call('HGET', counter, id)) < 0
  end)
end

if limit ~= tonumber(ARGV[6]) then
  limit = tonumber(ARGV[6])
  changed = true
end
local requested = tonumber(ARGV[7])
local reservedElsewhere = reserved - reserve
local free = math.max(0, limit - total - reservedElsewhere)
local admitted = math.min(requested, free)
counted = counted + admitted
-- A part of the rest, so that this gateway can count on during an outage; never less than the reserve that it
-- assumes.
local granted = math.floor((free - admitted) / tonumber(ARGV[11]))
local newReserve = math.max(granted, tonumber(ARGV[10]) - counted)

reserved = reservedElsewhere + newReserve
if admitted > 0 then
  if total == 0 then
    oldest = newest
  end
  total = total + admitted
  local count, at = bucket(newest)
  local packed = (count + admitted) * 65536 + math.max(at, now) - newest * 60000
  buckets[newest % 61] = packed
  write(gateway, packGateway(counted, newReserve), newest % 61, packed)
elseif changed or newReserve ~= reserve then
  write(gateway, packGateway(counted, newReserve))
end
if changed then
  keep()
end
if admitted < requested and reservedElsewhere > 0 and total < limit then
  recall(ARGV[12] == '' and 'some' or 'all')
end

local reset = 3600000
local retry = 0
if total > 0 then
  local _, first = bucket(oldest)
  reset = first + 3600000 - now
end
local remaining = total
local m = oldest
while remaining >= limit and remaining > 0 and m <= newest do
  local count, at = bucket(m)
  if count > 0 then
    remaining = remaining - count
    retry = at + 3600000 - now
  end
  m = m + 1
end
return { 1, now, epoch, admitted, total, reset, retry, counted, counted + granted, reservedElsewhere }
