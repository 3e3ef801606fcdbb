/* The page /docs. A key that is typed in stays in this page's memory: nothing is stored, and nothing is asked of another host. */
async function start() {
  const description = await (await fetch('openapi.json')).json();
  for (const { get } of Object.values(description.paths))
    get.parameters?.forEach(keepOptional);
  window.SwaggerUIBundle({
    spec: description,
    dom_id: '#docs',
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    supportedSubmitMethods: ['get'],
    tryItOutEnabled: true,
    persistAuthorization: false,
    queryConfigEnabled: false,
    // The default asks a service on the Internet whether the description is valid.
    validatorUrl: null,
  });
}

/** Examples would be filled in, and sent, for every parameter: they are said instead. */
function keepOptional(parameter) {
  if (parameter.required || parameter.example === undefined) return;
  parameter.description = `${parameter.description} (such as ${parameter.example})`;
  delete parameter.example;
}

start();
