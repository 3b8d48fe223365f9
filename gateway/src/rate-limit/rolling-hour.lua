-- Prefix of admit.lua and settle.lua. The last key is a credential's counter: the rule of service-kit/src/values/rolling-hour.ts
-- with a share per gateway. Fields: h, a struct of newest minute, total, oldest counted minute, requests reserved for
-- gateways beyond the total, and limit; for each bucket 0..60 its count and the time of its last request (count *
-- 65536 + milliseconds into its minute); for each gateway, by id (g...), a struct of the requests ever counted for it
-- (-1: not settled yet), its reserve, and the minute of its last contact. (Structs: packing one costs Redis less than
-- reading one more field, and a tenth of joining strings.)

-- What a script returns first, as in redis-rolling-hour.ts. LATE: the deadline had passed, and nothing was counted.
local STALE, COUNTED, MISSING, LATE = 0, 1, 2, 3

-- Milliseconds since 1970; id of this gateway.
local deadline, gateway = tonumber(ARGV[1]), ARGV[2]

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > deadline then
  return { LATE, now, 0, 0 }
end

local counter = KEYS[#KEYS]
local minute = math.floor(now / 60000)

-- Read ahead: nearly every call needs the buckets of this minute and of an hour ago only.
local buckets = {}
local stored = redis.call('HMGET', counter, 'h', gateway, minute % 61, (minute + 1) % 61)
local exists = stored[1]
buckets[minute % 61], buckets[(minute + 1) % 61] = stored[3] or 0, stored[4] or 0

local newest, total, oldest, reserved, limit = minute, 0, minute, 0, 0
if exists then
  newest, total, oldest, reserved, limit = struct.unpack('>I4I6I4I6I4', exists)
end

local function unpackGateway(packed)
  local count, held, lastMinute = struct.unpack('>i6I6I4', packed)
  return count, held, lastMinute
end

local function packGateway(count, held, lastMinute)
  return struct.pack('>i6I6I4', count, held, lastMinute or minute)
end

local counted, reserve, contact = -1, 0, minute
if stored[2] then
  counted, reserve, contact = unpackGateway(stored[2])
end

local function bucket(m)
  local packed = buckets[m % 61] or redis.call('HGET', counter, m % 61) or 0
  return math.floor(packed / 65536), m * 60000 + packed % 65536
end

local function clearBucket(m)
  total = total - bucket(m)
  buckets[m % 61] = 0
  redis.call('HDEL', counter, m % 61)
end

local function dropGateway(id)
  local _, held = unpackGateway(redis.call('HGET', counter, id))
  reserved = reserved - held
  redis.call('HDEL', counter, id)
end

-- Drops the fields of gateways for which `isGone(id)`.
local function dropGateways(isGone)
  for _, id in ipairs(redis.call('HKEYS', counter)) do
    if string.sub(id, 1, 1) == 'g' and id ~= gateway and isGone(id) then
      dropGateway(id)
    end
  end
end

local function isSilent(id)
  local _, _, lastMinute = unpackGateway(redis.call('HGET', counter, id))
  return lastMinute < minute - 62
end

local function findOldest()
  oldest = math.max(oldest, newest - 60)
  while oldest < newest and bucket(oldest) == 0 do
    oldest = oldest + 1
  end
end

-- The clock was more than an hour ahead. All that is counted moves into this minute: no request is younger, so nothing is
-- free early, and it leaves in an hour instead of when the clock is there again.
local function moveBack()
  local left = newest - 60
  -- A lost reply is taken back from the bucket of the last contact: only if what it counted has moved.
  local function moved(at)
    return at > left and minute or minute - 61
  end
  for _, field in ipairs(redis.call('HKEYS', counter)) do
    if string.sub(field, 1, 1) == 'g' then
      local count, held, at = unpackGateway(redis.call('HGET', counter, field))
      redis.call('HSET', counter, field, packGateway(count, held, moved(at)))
    elseif field ~= 'h' then
      redis.call('HDEL', counter, field)
    end
  end
  contact, newest, oldest = moved(contact), minute, minute
  buckets = { [minute % 61] = total * 65536 + now - minute * 60000 }
  redis.call('HSET', counter, minute % 61, buckets[minute % 61])
end

-- Moves the counter to now; returns whether it changed.
local function advance()
  local changed = not exists
  if newest > minute + 60 then
    changed = true
    moveBack()
  elseif minute > newest then
    changed = true
    for m = math.max(newest + 1, minute - 60), minute do
      clearBucket(m - 61)
    end
    newest = minute
    if redis.call('HLEN', counter) > 80 then
      dropGateways(isSilent)
    end
  end
  local leaving, last = bucket(newest - 60)
  if leaving > 0 and last <= now - 3600000 then
    changed = true
    clearBucket(newest - 60)
  end
  if changed then
    findOldest()
  end
  return changed
end

-- Takes back what was counted for this gateway beyond the requests that it knows of: the reply was lost, and the gateway decided by
-- itself. It is in the bucket of its last contact. `known` is -1 for a gateway that cannot tell.
local function takeBack(known)
  if known < 0 or counted <= known or contact < newest - 60 or contact > newest then
    return false
  end
  local count, at = bucket(contact)
  local back = math.min(counted - known, count)
  counted = counted - back
  total = total - back
  buckets[contact % 61] = (count - back) * 65536 + at - contact * 60000
  redis.call('HSET', counter, contact % 61, buckets[contact % 61])
  findOldest()
  return true
end

-- Asks other gateways to settle and release a part of their reserves (some), or all. PUBLISH may be forbidden by an
-- ACL.
local function recall(share)
  redis.pcall('PUBLISH', 'rolling-hour:recall', gateway .. ' ' .. share .. ' ' .. counter)
end

-- Writes the head and more fields.
local function write(...)
  local head = struct.pack('>I4I6I4I6I4', newest, total, oldest, math.max(0, reserved), limit)
  redis.call('HSET', counter, 'h', head, ...)
end

-- Keeps the counter until all requests have left the hour: the newest minute may be ahead of the clock.
local function keep()
  redis.call('PEXPIRE', counter, 3720000 + (newest - minute) * 60000)
end
