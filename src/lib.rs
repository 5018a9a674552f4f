//! Batched physics simulation for reinforcement learning.
