-- The code flow of OpenID Connect: a browser that is signed in asks for a code, and the app redeems it. BENCH_COOKIES is a file with the cookies of
-- one browser in each line.
local threads = {}
local waiting, head, tail = {}, 1, 0
local next = 0

function setup(thread) threads[#threads + 1] = thread end

function init()
    flows, failed, first = 0, 0, ""
    local host = " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port .. "\r\n"
    asks = {}
    for cookie in io.lines(os.getenv("BENCH_COOKIES")) do
        asks[#asks + 1] = "GET " .. os.getenv("BENCH_AUTHORIZE") .. host .. "Cookie: " .. cookie .. "\r\n\r\n"
    end
    redeem = "POST " .. os.getenv("BENCH_TOKEN") .. host .. "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: "
    form = os.getenv("BENCH_FORM") .. "&code="
end

function request()
    if head > tail then
        next = next % #asks + 1
        return asks[next]
    end
    local step = waiting[head]
    waiting[head] = nil
    head = head + 1
    return step
end

local function location(headers)
    for name, value in pairs(headers) do
        if name:lower() == "location" then return value end
    end
    return ""
end

function response(status, headers, body)
    local code = (status == 302 or status == 303) and location(headers):match("[?&]code=([^&#]+)")
    if code then
        local body = form .. code
        tail = tail + 1
        waiting[tail] = redeem .. #body .. "\r\n\r\n" .. body
    elseif status == 200 and body:find('"id_token"', 1, true) then
        flows = flows + 1
    else
        failed = failed + 1
        first = first == "" and status .. " " .. location(headers) .. " " .. body:sub(1, 300) or first
    end
end

function done(summary)
    local thread = threads[1]
    print(("Flows: %d in %d us, failed: %d %s"):format(thread:get("flows"), summary.duration, thread:get("failed"), thread:get("first")))
end
