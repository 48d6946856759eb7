-- Signs people in through the provider, as browser and app do: the start, the way back from the provider, and the redemption. A provider's page
-- is not part of it: the code that it would give is made here. BENCH_PEOPLE is the number of people, who sign in again and again.
local threads = {}
local waiting, head, tail = {}, 1, 0
local next = 0

function setup(thread) threads[#threads + 1] = thread end

function init()
    signed_in, failed, first = 0, 0, ""
    people = tonumber(os.getenv("BENCH_PEOPLE"))
    local query = os.getenv("BENCH_QUERY")
    verifier = os.getenv("BENCH_VERIFIER")
    local host = " HTTP/1.1\r\nHost: " .. wrk.host .. ":" .. wrk.port .. "\r\n"
    start = "GET /__/auth/start?" .. os.getenv("BENCH_START") .. host .. "\r\n"
    back = { "GET /__/auth/handler?code=", "&state=", host .. "Cookie: " }
    redeem = "POST /v1/accounts:signInWithIdp?" .. query .. host .. "Content-Type: application/json\r\nContent-Length: "
end

function request()
    if head > tail then return start end
    local step = waiting[head]
    waiting[head] = nil
    head = head + 1
    return step
end

local function then_ask(step)
    tail = tail + 1
    waiting[tail] = step
end

local function header(headers, wanted)
    for name, value in pairs(headers) do
        if name:lower() == wanted then return value end
    end
end

function response(status, headers, body)
    if status == 302 then
        local url = header(headers, "location")
        local state, nonce = url:match("[?&]state=([^&#]+)"), url:match("[?&]nonce=([^&#]+)")
        next = next % people + 1
        then_ask(back[1] .. nonce .. ":person" .. (next - 1) .. back[2] .. state .. back[3] .. header(headers, "set-cookie"):match("^[^;]+")
            .. "\r\n\r\n")
    elseif status == 303 then
        local body = '{"requestUri":"' .. header(headers, "location") .. '","sessionId":"' .. verifier .. '","returnSecureToken":true}'
        then_ask(redeem .. #body .. "\r\n\r\n" .. body)
    elseif status == 200 and body:find('"idToken"', 1, true) then
        signed_in = signed_in + 1
    else
        failed = failed + 1
        first = first == "" and status .. " " .. body:sub(1, 300) or first
    end
end

function done(summary)
    local thread = threads[1]
    print(("Sign-ins: %d in %d us, failed: %d %s"):format(thread:get("signed_in"), summary.duration, thread:get("failed"), thread:get("first")))
end
