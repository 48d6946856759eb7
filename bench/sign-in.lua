-- Signs people in by address and password, one after another. BENCH_PEOPLE is their number.
local requests, next = {}, 0

function init()
    for number = 1, tonumber(os.getenv("BENCH_PEOPLE")) do
        local body = '{"email":"somebody' .. number .. '@example.com","password":"correct horse ' .. number .. '","returnSecureToken":true}'
        requests[number] = "POST " .. wrk.path .. "?" .. os.getenv("BENCH_QUERY") .. " HTTP/1.1\r\nHost: " .. wrk.host
            .. "\r\nContent-Type: application/json\r\nContent-Length: " .. #body .. "\r\n\r\n" .. body
    end
end

function request()
    next = next % #requests + 1
    return requests[next]
end
