/**
 * Replaces a module of the MCP SDK that would bundle ajv (220 KB) to validate input requested from clients. This server requests
 * none.
 */
import process from 'node:process';

class DefaultJsonSchemaValidator {
  getValidator() {
    throw new Error('this build has no validator');
  }
}

export { DefaultJsonSchemaValidator, process };
