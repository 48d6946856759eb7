-- Looks accounts up by their ID tokens, one after another. BENCH_TOKENS is a file with one token on each line.
local requests, next = {}, 0

function init()
    for token in io.lines(os.getenv("BENCH_TOKENS")) do
        local body = '{"idToken":"' .. token .. '"}'
        requests[#requests + 1] = "POST " .. wrk.path .. "?" .. os.getenv("BENCH_QUERY") .. " HTTP/1.1\r\nHost: " .. wrk.host
            .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
    end
end

function request()
    next = next % #requests + 1
    return requests[next]
end
