-- Vouches for an authorization answer and counts requests, in one step.
-- KEYS: generation hash of the business, ring of the caller (same hash slot).
-- ARGV[3..]: generation of the answer; incarnation that the answer was asked under ('' when it was asked for these
--       requests alone); end of the answer (ms); limit; how many requests; name for a new incarnation;
--       requests that the gateway knows to be counted for it, and up to how many it may count without asking;
--       number of gateways; their ids, each before a comma, when those of others are to be dropped, else ''.
-- Returns verdict (0 stale, 1 counted, 2 the ring lacks counts of this gateway, 3 late), now, incarnation, admitted, used,
-- resetMs, retryMs, requests counted for this gateway, up to how many it may count without asking, requests reserved for
-- others.

local generation = tonumber(ARGV[3])
local known = ARGV[4]
local state = redis.call('HMGET', KEYS[1], 'g', 'i')
local current = tonumber(state[1] or 0)
local incarnation = state[2]

if known ~= '' then
  if incarnation ~= known or current ~= generation or now >= tonumber(ARGV[5]) then
    return { 0, now, incarnation or '' }
  end
elseif not incarnation then
  incarnation = ARGV[8]
  redis.call('HSET', KEYS[1], 'g', generation, 'i', incarnation)
  redis.call('PEXPIRE', KEYS[1], 86400000)
elseif current > generation then
  return { 0, now, incarnation }
elseif current < generation then
  redis.call('HSET', KEYS[1], 'g', generation)
end

if not exists or counted < tonumber(ARGV[9]) then
  return { 2, now, incarnation }
end

local changed = moveRing()
if ARGV[12] ~= '' then
  changed = true
  dropGateways(function(id)
    return not string.find(ARGV[12], id .. ',', 1, true)
  end)
end

if limit ~= tonumber(ARGV[6]) then
  limit = tonumber(ARGV[6])
  changed = true
end
local wanted = tonumber(ARGV[7])
local others = reserved - reserve
local free = math.max(0, limit - total - others)
local admitted = math.min(wanted, free)
counted = counted + admitted
-- A part of what is left, so that this gateway can go on while Redis is lost; never less than what it believes to have.
local granted = math.floor((free - admitted) / tonumber(ARGV[11]))
local kept = math.max(granted, tonumber(ARGV[10]) - counted)

reserved = others + kept
if admitted > 0 then
  if total == 0 then
    oldest = newest
  end
  total = total + admitted
  local count, at = bucket(newest)
  local packed = (count + admitted) * 65536 + math.max(at, now) - newest * 60000
  buckets[newest % 61] = packed
  write(gateway, packPart(counted, kept), newest % 61, packed)
elseif changed or kept ~= reserve then
  write(gateway, packPart(counted, kept))
end
if changed then
  redis.call('PEXPIRE', ring, 3720000)
end
if admitted < wanted and others > 0 and total < limit then
  recall(ARGV[12] == '' and 'some' or 'all')
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
return { 1, now, incarnation, admitted, total, reset, retry, counted, counted + granted, others }
