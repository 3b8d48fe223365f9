-- Confirms a cached authorization and counts requests, in one step.
-- KEYS: generation hash of the business, counter of the credential (same hash slot).
-- Returns COUNTED, now, epoch, admitted, used, resetMs, retryMs, requests counted for this gateway, its cap, requests
-- reserved for other gateways; or STALE, now, epoch; or MISSING (the counter lacks requests of this gateway), now, epoch,
-- 1 when there is a counter; or LATE.

-- Generation of the authorization, and the epoch that it was fetched under: '' when it was fetched for these requests.
local generation, expectedEpoch = tonumber(ARGV[3]), ARGV[4]
-- In milliseconds since 1970.
local expiresAt = tonumber(ARGV[5])
local newLimit, requested = tonumber(ARGV[6]), tonumber(ARGV[7])
local newEpoch = ARGV[8]
-- Requests that the gateway knows to be counted for it (-1: unknown), and its cap.
local known, cap = tonumber(ARGV[9]), tonumber(ARGV[10])
-- Number of gateways that share what is left.
local sharers = tonumber(ARGV[11])
-- Ids of all gateways, each before a comma, to drop the reserves of any other; else ''. Ids of the active ones: others that
-- have not settled since the counter was created are dropped as well.
local members, active = ARGV[12], ARGV[13]

local entry = redis.call('HMGET', KEYS[1], 'g', 'i')
local current = tonumber(entry[1] or 0)
local epoch = entry[2]

if expectedEpoch ~= '' then
  if epoch ~= expectedEpoch or current ~= generation or now >= expiresAt then
    return { STALE, now, epoch or '' }
  end
elseif not epoch then
  epoch = newEpoch
  redis.call('HSET', KEYS[1], 'g', generation, 'i', epoch)
  redis.call('PEXPIRE', KEYS[1], 86400000)
elseif current > generation then
  return { STALE, now, epoch }
elseif current < generation then
  redis.call('HSET', KEYS[1], 'g', generation)
end

if not exists or counted < math.max(0, known) then
  return { MISSING, now, epoch, exists and 1 or 0 }
end

local changed = advance()
changed = takeBack(known) or changed
if members ~= '' then
  changed = true
  dropGateways(function(id)
    if not string.find(members, id .. ',', 1, true) then
      return true
    end
    return not string.find(active, id .. ',', 1, true) and unpackGateway(redis.call('HGET', counter, id)) < 0
  end)
end

if limit ~= newLimit then
  limit = newLimit
  changed = true
end
local reservedElsewhere = reserved - reserve
local free = math.max(0, limit - total - reservedElsewhere)
local admitted = math.min(requested, free)
counted = counted + admitted
-- A part of the rest, so that this gateway can count on during an outage; never less than the reserve that it
-- assumes.
local granted = math.floor((free - admitted) / sharers)
local newReserve = math.max(granted, cap - counted)

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
  recall(members == '' and 'some' or 'all')
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
return { COUNTED, now, epoch, admitted, total, reset, retry, counted, counted + granted, reservedElsewhere }
