-- A page with a random end in five years. Argument: the path, with END as placeholder.
local path

function init(args)
  path = args[1]
  math.randomseed(42)
end

function request()
  local at = 1637000000 + math.random(0, 1700) * 86400 + math.random(0, 86399)
  return wrk.format("GET", (path:gsub("END", os.date("!%Y-%m-%dT%H:%M:%SZ", at))))
end
