-- The health of a PodConfigMapConfig for Argo CD: argocd-cm,
-- resource.customizations.health.podconfig.example.com_PodConfigMapConfig.
local health = { status = "Progressing", message = "The operator has not looked at it yet" }
if obj.status == nil or obj.status.conditions == nil then
  return health
end
for _, condition in ipairs(obj.status.conditions) do
  if condition.type == "Ready" and condition.observedGeneration == obj.metadata.generation then
    health.message = condition.message
    if condition.status == "True" then
      health.status = "Healthy"
    elseif condition.reason ~= "Reconciling" then
      health.status = "Degraded"
    end
  end
end
return health
