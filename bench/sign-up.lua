-- Makes anonymous accounts, for clients of many addresses in turn, as a proxy tells them; with BENCH_DIRECT, without a proxy.
local requests, next = {}, 0

function init()
    local body = '{"returnSecureToken":true}'
    for number = 1, 1000 do
        local proxy = os.getenv("BENCH_DIRECT") and "" or "\r\nX-Forwarded-For: 203.0." .. math.floor(number / 250) .. "." .. number % 250
        requests[number] = "POST " .. wrk.path .. "?" .. os.getenv("BENCH_QUERY") .. " HTTP/1.1\r\nHost: " .. wrk.host
            .. proxy .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
    end
end

function request()
    next = next % #requests + 1
    return requests[next]
end
