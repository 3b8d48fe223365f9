-- Each connection pauses before each request, for PAUSE_MS milliseconds on average.
local most = 2 * tonumber(os.getenv('PAUSE_MS'))
function delay() return math.random(0, most) end
