-- A mix of agents' requests: the newest trades (usually with their ETag), figures, other pages, single trades, journals.
-- Arguments: number of trades, ETag of the newest page.
local trades, etag, headers

function init(args)
  trades = tonumber(args[1])
  etag = args[2]
  math.randomseed(42)
end

local function at()
  return os.date("!%Y-%m-%dT%H:%M:%SZ", 1637000000 + math.random(0, 1700) * 86400 + math.random(0, 86399))
end

function request()
  local n = math.random(1, 1000)
  if n <= 300 then
    return wrk.format("GET", "/v1/trades?limit=50", { ["Authorization"] = wrk.headers["Authorization"], ["If-None-Match"] = etag })
  elseif n <= 500 then return wrk.format("GET", "/v1/trades?limit=50")
  elseif n <= 650 then return wrk.format("GET", "/v1/trades?limit=50&end=" .. at())
  elseif n <= 850 then return wrk.format("GET", string.format("/v1/trades/t%08d", math.random(0, trades - 1)))
  elseif n <= 950 then return wrk.format("GET", "/v1/journal-rows?limit=20&end=" .. at())
  elseif n <= 995 then return wrk.format("GET", "/v1/summary?period=1d")
  elseif n <= 999 then return wrk.format("GET", "/v1/summary?days=" .. math.random(2, 14))
  else return wrk.format("GET", "/v1/trades?limit=100&symbol=sym" .. math.random(0, 39))
  end
end
