-- A random trade. Argument: number of trades.
local trades

function init(args)
  trades = tonumber(args[1])
  math.randomseed(42)
end

function request()
  return wrk.format("GET", string.format("/v1/trades/t%08d", math.random(0, trades - 1)))
end
