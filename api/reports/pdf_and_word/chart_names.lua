-- Keeps each chart by a name, which Word shows, and no longer by its content.
local count = 0

function Image(image)
  local mime, content = pandoc.mediabag.fetch(image.src)
  count = count + 1
  image.src = "chart_" .. count .. ".png"
  pandoc.mediabag.insert(image.src, mime, content)
  return image
end
