-- A gateway hands in what it counted for a caller. Doing it twice changes nothing.
-- KEYS: ring of the caller.
-- ARGV[3..]: requests counted by the gateway since it knows the caller (-1: it cannot say, it only asks what the ring
--       knows); up to how many it keeps the right to count without asking; limit ('' leaves a ring that is gone alone);
--       1 when the gateway knows that there was a ring; number of gateways, when what is left is to be shared with this
--       one, else 0; ids of all gateways, each before a comma; then minute, count and time of the last request for each of
--       its own buckets, newest first.
-- Returns 1, now, requests counted for this gateway (-1 when the ring knows nothing of it), up to how many it may count
-- without asking; or 3 (late), now.

local ours = tonumber(ARGV[3])
if ours < 0 or (not exists and ARGV[5] == '') then
  return { 1, now, counted, counted }
end

moveRing()

local function add(m, count, last)
  if m < newest - 60 then
    return
  end
  local before, at = bucket(m)
  buckets[m % 61] = (before + count) * 65536 + math.max(at, last) - m * 60000
  redis.call('HSET', ring, m % 61, buckets[m % 61])
  oldest = total == 0 and m or math.min(oldest, m)
  total = total + count
end

-- A ring that has not heard of this gateway lacks all its counts, another one its newest.
local missing = math.huge
if counted >= 0 then
  missing = math.max(0, ours - counted)
end
for i = 9, #ARGV - 2, 3 do
  local count = math.min(missing, tonumber(ARGV[i + 1]))
  if count > 0 then
    local m = math.min(newest, tonumber(ARGV[i]))
    local start = m * 60000
    add(m, count, math.max(start, math.min(tonumber(ARGV[i + 2]), start + 59999)))
    missing = missing - count
  end
end

counted = math.max(counted, ours)
local kept = math.max(0, tonumber(ARGV[4]) - counted)
local others = reserved - reserve
if exists and ARGV[7] ~= '0' then
  kept = math.max(kept, math.floor((limit - total - others) / tonumber(ARGV[7])))
end
reserved = others + kept
local parts = { gateway, packPart(counted, kept) }

-- A new ring. What other gateways may have counted, or count without asking, is theirs until they have been heard:
-- everything if there was a ring before, else as much as a gateway may count for a caller that it never heard of.
if not exists then
  local ids = {}
  for id in string.gmatch(ARGV[8], '([^,]+),') do
    if id ~= gateway then
      ids[#ids + 1] = id
    end
  end
  limit = tonumber(ARGV[5])
  local held = total + kept
  if ARGV[6] ~= '1' then
    held = math.max(held, math.floor(limit / math.max(4, #ids + 1)))
  end
  local left = math.max(0, limit - held)
  for i, id in ipairs(ids) do
    local share = math.ceil(left / (#ids - i + 1))
    left = left - share
    reserved = reserved + share
    parts[#parts + 1] = id
    parts[#parts + 1] = packPart(-1, share)
  end
  if #ids > 0 then
    recall('some')
  end
end

write(unpack(parts))
redis.call('PEXPIRE', ring, 3720000)
return { 1, now, counted, counted + kept }
