-- Exchanges refresh tokens: the newest token of each person, all people in turn. BENCH_TOKENS is a file of "user token" lines, which is
-- written again at the end. A token whose answer never came is kept, since it may be presented again.
local threads = {}
local queue, head, tail = {}, 1, 0
local before

function setup(thread) threads[#threads + 1] = thread end

function init()
    tokens = {}
    for line in io.lines(os.getenv("BENCH_TOKENS")) do
        local user, token = line:match("^(%S+) (%S+)$")
        tokens[user] = token
        tail = tail + 1
        queue[tail] = user
    end
    before = "POST " .. wrk.path .. "?" .. os.getenv("BENCH_QUERY") .. " HTTP/1.1\r\nHost: " .. wrk.host
        .. "\r\nContent-Type: application/x-www-form-urlencoded\r\nContent-Length: "
end

function request()
    local user = queue[head]
    queue[head] = nil
    head = head + 1
    local body = "grant_type=refresh_token&refresh_token=" .. tokens[user]
    return before .. #body .. "\r\n\r\n" .. body
end

-- A plain search, since patterns would need more time than the server.
local function text(body, name)
    local _, before = body:find('"' .. name .. '":"', 1, true)
    return before and body:sub(before + 1, body:find('"', before + 1, true) - 1)
end

function response(status, headers, body)
    if status ~= 200 then return end
    local user, token = text(body, "user_id"), text(body, "refresh_token")
    tokens[user] = token
    tail = tail + 1
    queue[tail] = user
end

function done()
    local file = assert(io.open(os.getenv("BENCH_TOKENS"), "w"))
    for user, token in pairs(threads[1]:get("tokens")) do file:write(user, " ", token, "\n") end
    file:close()
end
