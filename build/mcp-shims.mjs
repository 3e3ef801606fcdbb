/**
 * Takes the place of a module of the MCP SDK that would bring along ajv (220 KB), to validate what clients are asked for. This server
 * asks its clients nothing.
 */
import process from 'node:process';

class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('no validator is built in');
  }
}

export { DefaultJsonSchemaValidator, process };
