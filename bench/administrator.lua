-- Looks accounts up by their ids as an administrator, one after another. BENCH_PEOPLE is their number, BENCH_BEARER an access token.
local requests, next = {}, 0

function init()
    for number = 1, tonumber(os.getenv("BENCH_PEOPLE")) do
        local body = '{"localId":["bench' .. number .. '"]}'
        requests[number] = "POST " .. wrk.path .. " HTTP/1.1\r\nHost: " .. wrk.host .. "\r\nAuthorization: Bearer " .. os.getenv("BENCH_BEARER")
            .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
    end
end

function request()
    next = next % #requests + 1
    return requests[next]
end
