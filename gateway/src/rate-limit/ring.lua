-- What admit.lua and settle.lua share: they follow this file. The last key is a caller's ring, the rule of
-- rate-limit/rolling-hour.ts with a part for each gateway. Its fields: h, a struct of newest minute, total, oldest counted
-- minute, requests reserved for gateways beyond the total, and limit; for each bucket of 0..60 its count and the time of its last
-- request (count * 65536 + milliseconds into its minute); for each gateway, by its id (g...), a struct of the requests ever
-- counted for it (-1: it has not been heard), those that it may still count without asking, and the minute of its last
-- contact. (Structs: packing one takes Redis less time than reading one more field, and a tenth of joining strings.)
-- ARGV[1]: time (ms) after which nobody waits for the reply, so nothing may be counted. ARGV[2]: id of the gateway.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if now > tonumber(ARGV[1]) then
  return { 3, now, 0, 0 }
end

local ring = KEYS[#KEYS]
local gateway = ARGV[2]
local minute = math.floor(now / 60000)

-- The buckets of this minute and of an hour ago are what is needed nearly always.
local buckets = {}
local stored = redis.call('HMGET', ring, 'h', gateway, minute % 61, (minute + 1) % 61)
local exists = stored[1]
buckets[minute % 61], buckets[(minute + 1) % 61] = stored[3] or 0, stored[4] or 0

local newest, total, oldest, reserved, limit = minute, 0, minute, 0, 0
if exists then
  newest, total, oldest, reserved, limit = struct.unpack('>I4I6I4I6I4', exists)
end

local function unpackPart(packed)
  local k, held, seen = struct.unpack('>i6I6I4', packed)
  return k, held, seen
end

local function packPart(k, held)
  return struct.pack('>i6I6I4', k, held, minute)
end

local counted, reserve = -1, 0
if stored[2] then
  counted, reserve = unpackPart(stored[2])
end

local function bucket(m)
  local packed = buckets[m % 61] or redis.call('HGET', ring, m % 61) or 0
  return math.floor(packed / 65536), m * 60000 + packed % 65536
end

local function forget(m)
  total = total - bucket(m)
  buckets[m % 61] = 0
  redis.call('HDEL', ring, m % 61)
end

local function drop(id)
  local _, held = unpackPart(redis.call('HGET', ring, id))
  reserved = reserved - held
  redis.call('HDEL', ring, id)
end

-- Drops the parts of gateways for which `isGone(id)`.
local function dropGateways(isGone)
  for _, id in ipairs(redis.call('HKEYS', ring)) do
    if string.sub(id, 1, 1) == 'g' and id ~= gateway and isGone(id) then
      drop(id)
    end
  end
end

local function hasBeenSilent(id)
  local _, _, seen = unpackPart(redis.call('HGET', ring, id))
  return seen < minute - 62
end

-- Moves the ring to now, and says whether that changed it.
local function moveRing()
  local changed = not exists
  if minute > newest then
    changed = true
    for m = math.max(newest + 1, minute - 60), minute do
      forget(m - 61)
    end
    newest = minute
    if redis.call('HLEN', ring) > 80 then
      dropGateways(hasBeenSilent)
    end
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
  end
  return changed
end

-- Asks every gateway to hand in what it counted and to give back what is reserved for it: a part of it (some), or all.
-- Publishing may be forbidden to us.
local function recall(howMuch)
  redis.pcall('PUBLISH', 'rolling-hour:recall', gateway .. ' ' .. howMuch .. ' ' .. ring)
end

-- Writes the head, with more fields.
local function write(...)
  local head = struct.pack('>I4I6I4I6I4', newest, total, oldest, math.max(0, reserved), limit)
  redis.call('HSET', ring, 'h', head, ...)
end
