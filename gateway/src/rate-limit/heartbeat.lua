-- Heartbeat of a gateway that has settled, and the membership.
-- KEYS: hash of the gateways.
-- Returns now, then the fields of the hash before the update: the time of each gateway's last heartbeat by id
-- (negative after it left), and `touched`, the last time that any of them had counted.

-- Milliseconds since 1970; id of this gateway.
local deadline, gateway = tonumber(ARGV[1]), ARGV[2]
-- Whether it has counted requests since its last heartbeat.
local hasCounted = ARGV[3] == '1'
-- here, left, or query, which writes nothing.
local state = ARGV[4]

local members = KEYS[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local before = redis.call('HGETALL', members)
if state ~= 'query' and now <= deadline then
  for i = 1, #before, 2 do
    if math.abs(tonumber(before[i + 1])) < now - 3720000 then
      redis.call('HDEL', members, before[i])
    end
  end
  redis.call('HSET', members, gateway, state == 'left' and -now or now)
  if hasCounted then
    redis.call('HSET', members, 'touched', now)
  end
  redis.call('PEXPIRE', members, 3720000)
end
return { now, unpack(before) }
