#include "runner_plugin.h"
#include "runner_random.h"
