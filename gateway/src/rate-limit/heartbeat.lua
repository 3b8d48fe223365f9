-- Heartbeat of a gateway that has settled, and the membership.
-- KEYS: hash of the gateways. ARGV: deadline (ms); id of the gateway; 1 when it has counted requests since its last
-- heartbeat, else 0; here, left, or query (read only).
-- Returns now, then the fields of the hash before the update: the time of each gateway's last heartbeat by id
-- (negative after it left), and `touched`, the last time that any of them had counted.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local members = redis.call('HGETALL', KEYS[1])
if ARGV[4] ~= 'query' and now <= tonumber(ARGV[1]) then
  for i = 1, #members, 2 do
    if math.abs(tonumber(members[i + 1])) < now - 3720000 then
      redis.call('HDEL', KEYS[1], members[i])
    end
  end
  redis.call('HSET', KEYS[1], ARGV[2], ARGV[4] == 'left' and -now or now)
  if ARGV[3] == '1' then
    redis.call('HSET', KEYS[1], 'touched', now)
  end
  redis.call('PEXPIRE', KEYS[1], 3720000)
end
return { now, unpack(members) }
