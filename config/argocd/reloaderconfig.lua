-- The health of a ReloaderConfig for Argo CD: argocd-cm, resource.customizations.health.reloader.stakater.com_ReloaderConfig.
local health = { status = "Progressing", message = "The operator has not looked at it yet" }
if obj.status == nil or obj.status.conditions == nil then
  return health
end
if obj.metadata.generation ~= nil and obj.status.observedGeneration ~= obj.metadata.generation then
  health.message = "The operator has not looked at this version yet"
  return health
end
local conditions = {}
for _, condition in ipairs(obj.status.conditions) do
  conditions[condition.type] = condition
end
local ready = conditions.Ready
if ready == nil then
  return health
end
health.message = ready.message
if ready.status == "True" then
  health.status = "Healthy"
elseif ready.reason == "Ignored" then
  health.status = "Suspended"
elseif conditions.Stalled ~= nil and conditions.Stalled.status == "True" then
  health.status = "Degraded"
end
return health
