-- Settles the requests that a gateway counted. Idempotent.
-- KEYS: counter of the credential.
-- Returns COUNTED, now, requests counted for this gateway (-1 when unknown), its cap; or LATE, now.

-- Requests counted by the gateway in total (-1: unknown, read only), and its cap.
local reported, cap = tonumber(ARGV[3]), tonumber(ARGV[4])
-- nil does not recreate a missing counter.
local newLimit = tonumber(ARGV[5])
-- Whether the gateway knows that the counter existed.
local isKnown = ARGV[6] == '1'
-- Number of gateways, to give this one its share of the rest; else 0.
local sharers = tonumber(ARGV[7])
-- Ids of all gateways, each before a comma, those heard of last first.
local members = ARGV[8]
-- Requests that the gateway knows to be counted for it here (-1: unknown).
local known = tonumber(ARGV[9])
-- From here on: minute, count and time of the last request of each of its buckets, newest first.
local firstBucket = 10

if reported < 0 or (not exists and not newLimit) then
  return { COUNTED, now, counted, counted }
end

advance()
takeBack(known)

local function add(m, count, last)
  if m < newest - 60 or last <= now - 3600000 then
    return
  end
  local before, at = bucket(m)
  buckets[m % 61] = (before + count) * 65536 + math.max(at, last) - m * 60000
  redis.call('HSET', counter, m % 61, buckets[m % 61])
  oldest = total == 0 and m or math.min(oldest, m)
  total = total + count
end

-- A gateway that has not settled since the counter was created, other than this one, with its reserve and last minute: the
-- one that was heard of last, since a killed one is dropped first.
local function findUnsettled()
  for id in string.gmatch(members, '([^,]+),') do
    local packed = id ~= gateway and redis.call('HGET', counter, id)
    if packed then
      local count, held, lastMinute = unpackGateway(packed)
      if count < 0 then
        return id, held, lastMinute
      end
    end
  end
end

-- What this gateway leaves of the part that was held for it stays reserved for the others until they settle, too: they may
-- have counted more than their parts.
local unsettled, unsettledReserve, unsettledMinute
if stored[2] and counted < 0 then
  unsettled, unsettledReserve, unsettledMinute = findUnsettled()
end
local taken = total + reserved

-- A counter without this gateway lacks all its requests, another one its newest.
local missing = math.huge
if counted >= 0 then
  missing = math.max(0, reported - counted)
end
for i = firstBucket, #ARGV - 2, 3 do
  local count = math.min(missing, tonumber(ARGV[i + 1]))
  if count > 0 then
    local m = math.min(newest, tonumber(ARGV[i]))
    local start = m * 60000
    add(m, count, math.max(start, math.min(tonumber(ARGV[i + 2]), start + 59999)))
    missing = missing - count
  end
end

counted = math.max(counted, reported)
local newReserve = math.max(0, cap - counted)
local reservedElsewhere = reserved - reserve
if exists and sharers > 0 and not unsettled then
  newReserve = math.max(newReserve, math.floor((limit - total - reservedElsewhere) / sharers))
end
reserved = reservedElsewhere + newReserve
local fields = { gateway, packGateway(counted, newReserve) }
if unsettled then
  local left = math.max(0, taken - total - reserved)
  reserved = reserved + left
  fields[3] = unsettled
  fields[4] = packGateway(-1, unsettledReserve + left, unsettledMinute)
end

-- A new counter. What other gateways may have counted, or may count from their reserves, is reserved for them until
-- they settle: everything if a counter existed, else as much as a gateway may count for an unknown credential.
if not exists then
  local ids = {}
  for id in string.gmatch(members, '([^,]+),') do
    if id ~= gateway then
      ids[#ids + 1] = id
    end
  end
  limit = newLimit
  local held = total + newReserve
  if not isKnown then
    held = math.max(held, math.floor(limit / math.max(4, #ids + 1)))
  end
  local remaining = math.max(0, limit - held)
  for i, id in ipairs(ids) do
    local share = math.ceil(remaining / (#ids - i + 1))
    remaining = remaining - share
    reserved = reserved + share
    fields[#fields + 1] = id
    fields[#fields + 1] = packGateway(-1, share)
  end
  if #ids > 0 then
    recall('some')
  end
end

write(unpack(fields))
keep()
return { COUNTED, now, counted, counted + newReserve }
